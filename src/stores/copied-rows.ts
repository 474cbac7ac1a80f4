export {
  type CopiedTable,
  columnsOf,
  insertRows,
  type Key,
  replaceRows,
  selectRows,
  selectTables,
} from './copied-rows.sql.ts';
