import { t } from '../../language/text.ts';
import { assetPath } from './assets.ts';

/** The symbols in `pictures/icons.svg`. */
export type IconName =
  | 'check'
  | 'cross'
  | 'clock'
  | 'search'
  | 'copy'
  | 'chevron'
  | 'bell'
  | 'user'
  | 'gear'
  | 'key'
  | 'chart'
  | 'folder'
  | 'file'
  | 'play'
  | 'pause'
  | 'external'
  | 'plus'
  | 'left'
  | 'right'
  | 'moon'
  | 'info'
  | 'warning'
  | 'flag'
  | 'accepted'
  | 'sending'
  | 'delivered'
  | 'failed'
  | 'cancelled';

/** Decorative only: a word beside it has the same meaning. */
export function Icon({ name, small }: { name: IconName; small?: boolean }) {
  return (
    <svg class={small ? 'icon icon--small' : 'icon'} aria-hidden="true">
      <use href={`${assetPath('icons.svg')}#i-${name}`} />
    </svg>
  );
}

export function Wordmark() {
  return (
    <a class="wordmark" href="/console">
      <svg aria-hidden="true">
        <use href={`${assetPath('icons.svg')}#i-stamp`} />
      </svg>
      {t('Pennypost')}
    </a>
  );
}
