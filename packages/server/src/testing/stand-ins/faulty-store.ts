import { type Bytes, streamOf } from '../../platform/object-store/bytes.ts'
import type { ObjectStore } from '../../platform/object-store/objects.ts'

/** Moment of a fault. In the middle means that some but not all bytes have been transferred. */
export type Moment =
  | 'put before'
  | 'put middle'
  | 'put late'
  | 'put after'
  | 'open before'
  | 'open middle'
  | 'remove before'
  | 'remove after'

/** Effect of a fault. It can throw, wait or end the process. */
type Act = () => void | Promise<void>

export interface FaultyStore extends ObjectStore {
  /** Injects a fault at every such moment, until `heal` or another act replaces it. */
  at(moment: Moment, act: Act): void
  heal(): void
  /** Number of pending puts. */
  readonly puts: number
}

/** Wraps an object store with injected faults. */
export function faultyStore(store: ObjectStore): FaultyStore {
  const acts = new Map<Moment, Act>()
  const reach = async (moment: Moment) => acts.get(moment)?.()
  const interrupted = (body: Bytes, moment: Moment, afterBytes = 1) =>
    acts.has(moment) ? interrupt(body, afterBytes, () => reach(moment)) : body
  let puts = 0
  const { openPieces: _, readStart: __, ...streaming } = store // leaves one way to read the bytes, which has the faults

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
        await store.put(key, interrupted(interrupted(body, 'put middle'), 'put late', lateBytes))
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

/** Number of bytes after which the disk store has begun to write. */
const lateBytes = 600_000

/** Acts once after this number of bytes. */
async function* interrupt(body: Bytes, afterBytes: number, act: Act): AsyncIterable<Buffer> {
  let bytes = 0
  for await (const chunk of body) {
    yield chunk
    const isReached = bytes < afterBytes && bytes + chunk.length >= afterBytes
    bytes += chunk.length
    if (isReached) await act()
  }
}

export interface Hang {
  act: Act
  /** Resolves when an operation hangs. */
  reached: Promise<void>
  /** Resumes the operation and lets later ones pass. */
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
