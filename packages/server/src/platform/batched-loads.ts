/** Loads values by key. Keys without a value are missing in the result. */
type Load<Key, Value> = (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>

interface Batch<Key, Value> {
  keys: Set<Key>
  values: Promise<ReadonlyMap<Key, Value>>
}

/** Maximum number of keys of a batch of several callers. */
const maxSharedKeys = 100

/**
 * Returns a function that loads values by key in batches: callers of the same group in one iteration of the event loop share
 * one call of `load`, that of the first. Requests that arrive together thus take one statement. A load that has started is
 * not shared, because it may miss a change that precedes a new caller. The result may contain values of other callers.
 */
export function openBatchedLoads<Key, Value>() {
  const waiting = new Map<string, Batch<Key, Value>>()

  return (group: string, keys: readonly Key[], load: Load<Key, Value>): Promise<ReadonlyMap<Key, Value>> => {
    const known = waiting.get(group)
    if (known && hasRoom(known.keys, keys)) {
      for (const key of keys) known.keys.add(key)
      return known.values
    }
    const batch: Batch<Key, Value> = { keys: new Set(keys), values: loadLater() }
    waiting.set(group, batch)
    return batch.values

    async function loadLater(): Promise<ReadonlyMap<Key, Value>> {
      // Runs after all promise callbacks, in which the other requests continue.
      await new Promise<void>((resolve) => process.nextTick(resolve))
      if (waiting.get(group) === batch) waiting.delete(group)
      return load([...batch.keys])
    }
  }
}

function hasRoom<Key>(batched: ReadonlySet<Key>, keys: readonly Key[]): boolean {
  return batched.size + keys.length <= maxSharedKeys || keys.every((key) => batched.has(key))
}
