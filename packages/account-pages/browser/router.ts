import { useEffect, useState } from 'preact/hooks';

/** Shows another page without loading the document again. @param path with an optional query. */
export function navigate(path: string, { replace = false } = {}): void {
  history[replace ? 'replaceState' : 'pushState'](null, '', path);
  dispatchEvent(new Event('navigated'));
}

/** Whether the address has a query parameter, such as `/?reset`. */
export const hasParameter = (name: string): boolean => new URLSearchParams(location.search).has(name);

/** Returns the path of the current page and renders again when it changes. */
export function usePath(): string {
  const [path, setPath] = useState(location.pathname);
  useEffect(() => {
    const update = () => setPath(location.pathname);
    addEventListener('popstate', update);
    addEventListener('navigated', update);
    return () => {
      removeEventListener('popstate', update);
      removeEventListener('navigated', update);
    };
  }, []);
  return path;
}

/** Returns the parameters of the address's query and renders again when they change. */
export function useQuery(): URLSearchParams {
  const [search, setSearch] = useState(location.search);
  useEffect(() => {
    const update = () => setSearch(location.search);
    addEventListener('popstate', update);
    addEventListener('navigated', update);
    return () => {
      removeEventListener('popstate', update);
      removeEventListener('navigated', update);
    };
  }, []);
  return new URLSearchParams(search);
}

/** Returns the current path with parameters changed; an empty one is removed. */
export function withQuery(changes: Record<string, string | undefined>): string {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value) query.set(name, value);
    else query.delete(name);
  }
  const text = query.toString();
  return location.pathname + (text && `?${text}`);
}

/** Makes links to other pages navigate in place. Modified clicks stay with the browser. */
export function handleLinks(): void {
  addEventListener('click', (event) => {
    const link = (event.target as Element).closest?.('a');
    const isPlain =
      event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (!link || !isPlain || event.defaultPrevented) return;
    if (link.origin !== location.origin || link.target || !link.hasAttribute('data-page')) return;
    event.preventDefault();
    navigate(link.pathname + link.search);
  });
}
