export { queueLostMessages } from './lost-messages.sql.ts';
