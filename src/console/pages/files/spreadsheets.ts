/** What the console takes. The API takes larger text files. */
export const maxFileBytes = 10 * 1024 * 1024;
export const spreadsheets = '.csv,.tsv,.xlsx,.xlsm,.ods';
