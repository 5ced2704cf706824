import htm from 'htm';
import { h } from 'preact';

/** Renders a template: `` html`<p class="x">${text}</p>` ``. Values are escaped. */
export const html = htm.bind(h);
