import './passwords.ts';
import './menus.ts';
import './live.ts';
import './copy.ts';
import './find.ts';
