import { setImmediate } from 'node:timers/promises'

/** Loads one value by its id. */
export type Load<Value> = (id: number) => Promise<Value>

/**
 * Returns a function that loads values by id. All ids that are requested in one turn of the event loop are loaded with one
 * call, so that a list of nodes takes one statement per kind of row. Nothing is kept, because a mutation may follow.
 */
export function openBatch<Value>(load: (ids: readonly number[]) => Promise<(id: number) => Value>): Load<Value> {
  let pending: { ids: Set<number>; loaded: Promise<(id: number) => Value> } | undefined
  return async (id) => {
    pending ??= start()
    pending.ids.add(id)
    const find = await pending.loaded
    return find(id)
  }

  function start() {
    const ids = new Set<number>()
    const loaded = setImmediate().then(() => {
      pending = undefined
      return load([...ids])
    })
    return { ids, loaded }
  }
}
