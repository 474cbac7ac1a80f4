export { countLockedPeople, type PeopleGroup, selectPeople as searchPeople } from './user-search.sql.ts';
