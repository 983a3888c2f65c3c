import { unpackBrowser } from './browser.ts'

const key = Symbol.for('alcove.unpackedBrowser')
/** Each project of Vitest has its own instance of this module in the same process. */
const shared = globalThis as { [key]?: Promise<void> } // only this module uses the key

/**
 * Vitest's global setup: unpacks the browser once, before the workers start. The package takes a file that another process
 * is still writing for complete, and the browser of one worker would fail in all of its tests.
 */
export async function setup(): Promise<void> {
  shared[key] ??= unpackBrowser()
  await shared[key]
}
