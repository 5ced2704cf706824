import { render } from 'preact';
import { html } from '../html.ts';
import { handleLinks } from '../router.ts';
import { Console } from './app.ts';

handleLinks();
render(html`<${Console} />`, document.getElementById('page') as HTMLElement);
