import { NotJson } from './json.ts'

/** Where the entries of a report lie: keys, and `*` for every element of a list. Ends in `*`. */
export type ItemPath = readonly string[]

/** A step on the way to entries. */
interface Node {
  keys: Map<string, Node>
  each: Node | undefined
  path: ItemPath | undefined
}

/** A container on the way to entries, while it is open. */
export interface Frame {
  isList: boolean
  node: Node
  pointer: string
  /** Keys on the way to entries that were met; twice would make two documents of one. */
  met: Set<string> | undefined
  index: number
  /** In a list of entries: what may come now. */
  expects: 'item or end' | 'item' | 'comma or end'
}

export function treeOf(paths: readonly ItemPath[]): Node {
  const create = (): Node => ({ keys: new Map(), each: undefined, path: undefined })
  const root = create()
  for (const path of paths) {
    let node = root
    for (const step of path) {
      const known = step === '*' ? node.each : node.keys.get(step)
      const next = known ?? create()
      if (step === '*') node.each = next
      else node.keys.set(step, next)
      node = next
    }
    node.path = path
  }
  return root
}

function nodeBelow({ isList, node }: Frame, key: string | undefined): Node | undefined {
  if (isList) return node.each
  return key === undefined ? undefined : node.keys.get(key)
}

/** The frame of a container that opens in another one, or as the document; undefined when no way to entries leads through it. */
export function enter(
  root: Node,
  frame: Frame | undefined,
  key: string | undefined,
  { isList, offset }: { isList: boolean; offset: number },
): Frame | undefined {
  const node = frame ? nodeBelow(frame, key) : root
  if (frame && !frame.isList && key !== undefined && frame.node.keys.has(key)) {
    frame.met ??= new Set()
    if (frame.met.has(key)) throw new NotJson(offset, `the key ${JSON.stringify(key)} stands here a second time`)
    frame.met.add(key)
  }
  const isOnTheWay = node && (isList ? node.each !== undefined : node.keys.size > 0 || !frame)
  if (!isOnTheWay) return undefined
  const step = frame ? `/${frame.isList ? frame.index : key}` : ''
  return { isList, node, pointer: `${frame?.pointer ?? ''}${step}`, met: undefined, index: 0, expects: 'item or end' }
}
