import type { ObjectStore } from './objects.ts'

/** Returns the part of a store whose keys start with the prefix, without it. */
export function prefixedStore(store: ObjectStore, prefix: string): ObjectStore {
  if (prefix === '') return store
  return {
    put: (key, body) => store.put(prefix + key, body),
    open: (key, range) => store.open(prefix + key, range),
    remove: (key) => store.remove(prefix + key),
    async *list(wanted) {
      for await (const { key, ...info } of store.list(prefix + wanted)) yield { key: key.slice(prefix.length), ...info }
    },
    removeUnfinished: (wanted, before) => store.removeUnfinished(prefix + wanted, before),
    ready: store.ready,
    close: store.close,
  }
}
