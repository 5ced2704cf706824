import { setFlagsFromString } from 'node:v8';

/**
 * Import this first in a program that calls process.exit. In Node 26.10 the exit joins V8's worker threads, and
 * deadlocks if one of them compiles baseline code and waits for a garbage collection. Without concurrent baseline
 * compilation no worker can wait.
 */
setFlagsFromString('--no-concurrent-sparkplug');
