import type { ConsoleApp } from '../../console-app.ts';
import type { Pages } from '../../page.ts';
import { copyPages } from './copy/copy.pages.tsx';
import { editorPages } from './editor/editor.pages.tsx';
import { attachedPagesPages } from './files/attached.pages.tsx';
import { templateFilePages } from './files/files.pages.tsx';
import { folderPages } from './folders/folders.pages.tsx';
import { historyPages } from './history/history.pages.tsx';
import { listPages } from './list/list.pages.tsx';
import { oneTemplatePages } from './one/template.pages.tsx';
import { previewPages } from './preview/preview.pages.ts';

export function templatePages(pages: Pages, app: ConsoleApp): void {
  listPages(pages, app);
  folderPages(pages, app);
  copyPages(pages, app);
  oneTemplatePages(pages, app);
  editorPages(pages, app);
  templateFilePages(pages, app);
  attachedPagesPages(pages, app);
  historyPages(pages, app);
  previewPages(pages, app);
}
