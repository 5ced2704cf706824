import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { html } from '../html.ts';
import { texts } from '../texts.ts';
import { Notice } from './notice.ts';

type Part = ComponentType<Record<string, unknown>>;

/** A part of a page whose module is loaded when the part is shown for the first time. */
export function Lazy({
  load,
  ...props
}: {
  // biome-ignore lint/suspicious/noExplicitAny: the part has its own properties
  load: () => Promise<{ default: ComponentType<any> }>;
  [property: string]: unknown;
}) {
  const [loaded, setLoaded] = useState<{ Part?: Part; failed?: boolean }>({});
  useEffect(() => {
    let isCurrent = true;
    load().then(
      (module) => isCurrent && setLoaded({ Part: module.default }),
      () => isCurrent && setLoaded({ failed: true }),
    );
    return () => {
      isCurrent = false;
    };
  }, []);
  const { Part, failed } = loaded;
  if (failed) return html`<${Notice} kind="error">${texts.errors.unreachable}<//>`;
  if (!Part) return html`<div class="skeleton" role="status" aria-label=${texts.table.loading}></div>`;
  return html`<${Part} ...${props} />`;
}
