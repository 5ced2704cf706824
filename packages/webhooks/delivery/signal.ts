/** Lets a loop sleep until something happens. A notification that arrives while the loop is awake is kept. */
export interface Signal {
  notify(): void;
  /** Resolves at the next notification, or after `timeout` milliseconds if one is given. */
  wait(timeout?: number): Promise<void>;
}

export function createSignal(): Signal {
  let next = Promise.withResolvers<void>();
  return {
    notify: () => next.resolve(),
    async wait(timeout) {
      const timer = timeout === undefined ? undefined : setTimeout(next.resolve, timeout);
      await next.promise;
      clearTimeout(timer);
      next = Promise.withResolvers();
    },
  };
}
