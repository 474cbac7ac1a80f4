import type { Overview } from '../../../../operations/overview/overview.ts';
import { count } from '../../../money.ts';
import { Status } from '../../../parts/status.tsx';

type StoreState = Overview['stores'][number];

const unknown = <span class="muted">–</span>;

/** Only with several databases. */
export function Stores({ overview: { stores } }: { overview: Overview }) {
  if (stores.length === 0) return null;
  return (
    <section class="card card--flush" aria-labelledby="stores">
      <div class="card-head">
        <h2 id="stores">Message stores</h2>
      </div>
      <div class="table-wrap">
        <table class="table">
          <caption class="sr">Databases that have the messages of services</caption>
          <thead>
            <tr>
              <th scope="col">Store</th>
              <th scope="col">State</th>
              <th scope="col">New services</th>
              <th scope="col" class="num">
                Services
              </th>
              <th scope="col" class="num">
                Waiting
              </th>
              <th scope="col">Configuration</th>
            </tr>
          </thead>
          <tbody>
            {stores.map((store) => (
              <Row key={store.number} store={store} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Row({ store }: { store: StoreState }) {
  const { number, is_away, is_open, services, waiting } = store;
  return (
    <tr>
      <th scope="row">{number === 0 ? 'Main database' : `Store ${number}`}</th>
      <td data-label="State">
        <Status kind={is_away ? 'failed' : 'delivered'}>{is_away ? 'Away' : 'Reachable'}</Status>
      </td>
      <td data-label="New services">{is_open ? 'Open' : 'Closed'}</td>
      <td data-label="Services" class="num">
        {count(services)}
      </td>
      <td data-label="Waiting" class="num">
        {waiting === undefined ? unknown : count(waiting)}
      </td>
      <td data-label="Configuration">{copyOf(store)}</td>
    </tr>
  );
}

function copyOf({ number, uncopied }: StoreState) {
  if (number === 0) return 'Original';
  if (uncopied === undefined) return unknown;
  if (uncopied === 0) return 'Copied';
  if (uncopied === 'all') return 'Not copied yet';
  return uncopied === 1 ? '1 change not copied' : `${count(uncopied)} changes not copied`;
}
