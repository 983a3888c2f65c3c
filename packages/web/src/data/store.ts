/** Value that outlives components, such as the queue of uploads. Changes notify the subscribers. */
export interface Slot<Value> {
  get: () => Value
  set: (value: Value) => void
  subscribe: (listener: () => void) => () => void
}

/** Creates the store of all state outside React. `reset` returns every slot to its initial value. */
export function createStore() {
  const resets: (() => void)[] = []
  return {
    slot<Value>(initial: () => Value): Slot<Value> {
      const listeners = new Set<() => void>()
      let value = initial()
      const set = (next: Value) => {
        value = next
        for (const listener of listeners) listener()
      }
      resets.push(() => set(initial()))
      return {
        get: () => value,
        set,
        subscribe(listener) {
          listeners.add(listener)
          return () => listeners.delete(listener)
        },
      }
    },
    onReset: (reset: () => void) => void resets.push(reset),
    reset: () => {
      for (const reset of resets) reset()
    },
  }
}

export const store = createStore()
