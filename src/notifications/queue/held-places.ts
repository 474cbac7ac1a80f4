/** The queue of a service that is moved to another store: see `pennypost stores move`. */
export {
  deleteHeldPlaces,
  holdPlaces,
  insertHeldPlaces,
  markCopied,
  releasePlaces,
  selectHeldPlaces,
} from './held-places.sql.ts';
