import './passwords.ts';
import './menus.ts';
import './live.ts';
