import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { html } from '../html.ts';

/** The heading of a page. It takes the focus when the link that led here is gone. */
export function PageTitle({
  back,
  badge,
  actions,
  children,
}: {
  /** The page above this one. */
  back?: { path: string; title: string };
  badge?: ComponentChildren;
  actions?: ComponentChildren;
  children?: ComponentChildren;
}) {
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!back || document.activeElement !== document.body) return;
    title.current?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, []);
  return html`
    <header class="page-title">
      <div>
        ${back && html`<a class="back" href=${back.path} data-page>${back.title}</a>`}
        <div class="title"><h1 ref=${title} tabindex="-1">${children}</h1>${badge}</div>
      </div>
      ${actions && html`<div class="actions">${actions}</div>`}
    </header>
  `;
}
