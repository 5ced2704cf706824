import type { ComponentChildren, ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { html } from '../html.ts';
import { texts } from '../texts.ts';
import { Notice } from './notice.ts';

type Part = ComponentType<Record<string, unknown>>;

/** A part of a page whose module is loaded when the part is shown for the first time. */
export function Lazy({
  load,
  placeholder,
  ...props
}: {
  // biome-ignore lint/suspicious/noExplicitAny: the part has its own properties
  load: () => Promise<{ default: ComponentType<any> }>;
  /** Takes the place of the part until it is there, and if it cannot be loaded. */
  placeholder?: ComponentChildren;
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
  if (!Part && placeholder !== undefined) return placeholder;
  if (failed) return html`<${Notice} kind="error">${texts.errors.unreachable}<//>`;
  if (!Part) return html`<div class="skeleton" role="status" aria-label=${texts.table.loading}></div>`;
  return html`<${Part} ...${props} />`;
}
