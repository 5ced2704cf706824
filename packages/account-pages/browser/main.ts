import { render } from 'preact';
import { App } from './app.ts';
import { html } from './html.ts';
import { handleLinks } from './router.ts';

handleLinks();
render(html`<${App} />`, document.getElementById('page') as HTMLElement);
