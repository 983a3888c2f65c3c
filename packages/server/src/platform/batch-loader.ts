/** Loads values by key. Keys without a value are missing in the result. */
type Load<Key, Value> = (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>

interface Batch<Key, Value> {
  keys: Set<Key>
  values: Promise<ReadonlyMap<Key, Value>>
  hasStarted: boolean
}

export type BatchLoader<Key, Value> = (
  name: string | undefined,
  keys: readonly Key[],
  load: Load<Key, Value>,
) => Promise<ReadonlyMap<Key, Value>>

/** Maximum number of keys of a batch of several callers. */
const maxSharedKeys = 100

/**
 * Returns a function that loads values by key in batches, so that concurrent requests take one statement. Callers with the
 * same name share one call of `load` until all pending promise callbacks have run. It is the `load` of the first caller, so
 * the name must contain everything that the values depend on. A caller also shares a load that has started if it includes
 * all of its keys, so the name must contain a version that a change replaces before it is acknowledged. A load without a
 * name is not shared. The result may contain values of other callers.
 */
export function openBatchLoader<Key, Value>(): BatchLoader<Key, Value> {
  const batches = new Map<string, Batch<Key, Value>>()

  return (name, keys, load) => {
    if (name === undefined) return load(keys)
    const known = batches.get(name)
    if (known && join(known, keys)) return known.values
    const batch = startBatch(keys, load, () => {
      if (batches.get(name) === batch) batches.delete(name)
    })
    batches.set(name, batch)
    return batch.values
  }
}

function startBatch<Key, Value>(keys: readonly Key[], load: Load<Key, Value>, onEnd: () => void): Batch<Key, Value> {
  const batch: Batch<Key, Value> = { keys: new Set(keys), hasStarted: false, values: loadLater() }
  return batch

  async function loadLater(): Promise<ReadonlyMap<Key, Value>> {
    // After the pending promise callbacks, in which other requests add their keys.
    await new Promise<void>((resolve) => process.nextTick(resolve))
    batch.hasStarted = true
    try {
      return await load([...batch.keys])
    } finally {
      onEnd()
    }
  }
}

/** Returns true if the batch contains the keys, or adds them if it has not started and has room. */
function join<Key>({ keys: batched, hasStarted }: Batch<Key, unknown>, keys: readonly Key[]): boolean {
  if (keys.every((key) => batched.has(key))) return true
  if (hasStarted || batched.size + keys.length > maxSharedKeys) return false
  for (const key of keys) batched.add(key)
  return true
}
