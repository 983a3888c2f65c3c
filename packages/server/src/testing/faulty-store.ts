import { type Bytes, streamOf } from '../platform/object-store/bytes.ts'
import type { ObjectStore } from '../platform/object-store/objects.ts'

/** In the middle means: some of the bytes have gone through, and not all of them. */
export type Moment =
  | 'put before'
  | 'put middle'
  | 'put after'
  | 'open before'
  | 'open middle'
  | 'remove before'
  | 'remove after'

/** What happens then: it may throw, wait, or end the process. */
type Act = () => void | Promise<void>

export interface FaultyStore extends ObjectStore {
  /** From now on this happens at every such moment, until `heal` or another act for it. */
  at(moment: Moment, act: Act): void
  heal(): void
  /** Puts that have neither ended nor failed. */
  readonly puts: number
}

/** A store in which things go wrong on purpose. */
export function faultyStore(store: ObjectStore): FaultyStore {
  const acts = new Map<Moment, Act>()
  const reach = async (moment: Moment) => acts.get(moment)?.()
  const interrupted = (body: Bytes, moment: Moment) => (acts.has(moment) ? interrupt(body, () => reach(moment)) : body)
  let puts = 0
  const { openPieces: _, ...streaming } = store // one way to the bytes, where things can go wrong

  return {
    ...streaming,
    at: (moment, act) => void acts.set(moment, act),
    heal: () => acts.clear(),
    get puts() {
      return puts
    },

    async put(key, body) {
      puts++
      try {
        await reach('put before')
        await store.put(key, interrupted(body, 'put middle'))
        await reach('put after')
      } finally {
        puts--
      }
    },

    async open(key, range) {
      await reach('open before')
      const body = await store.open(key, range)
      return body && streamOf(interrupted(body, 'open middle'))
    },

    async remove(key) {
      await reach('remove before')
      await store.remove(key)
      await reach('remove after')
    },
  }
}

async function* interrupt(body: Bytes, act: Act): AsyncIterable<Buffer> {
  let isFirst = true
  for await (const chunk of body) {
    yield chunk
    if (isFirst) await act()
    isFirst = false
  }
}

export interface Hang {
  act: Act
  /** Resolves when something hangs. */
  reached: Promise<void>
  /** Lets it go on, and does not hold up what comes later. */
  release(): void
}

export function hang(): Hang {
  const reached = gate()
  const released = gate()
  const act = () => {
    reached.open()
    return released.opened
  }
  return { act, reached: reached.opened, release: released.open }
}

function gate(): { opened: Promise<void>; open(): void } {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}
