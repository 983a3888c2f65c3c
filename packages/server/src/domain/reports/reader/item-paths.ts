import { NotJson } from './json.ts'

/**
 * Path to the entries of a report: keys, `*` for every element of a list, and `{*}` for every value of an object. The last
 * element is one of the latter two; `{*}` stands nowhere else.
 */
export type ItemPath = readonly string[]

/** A node in the tree of item paths. */
interface Node {
  keys: Map<string, Node>
  each: Node | undefined
  /** Every value of an object. */
  eachValue: Node | undefined
  path: ItemPath | undefined
}

/** An open container on an item path. */
export interface Frame {
  isList: boolean
  /** Path of the entries, if the elements of this list or the values of this object are entries. */
  entries: ItemPath | undefined
  node: Node
  pointer: string
  /** Keys of item paths that occurred; a repeated one is an error, since passes would read different documents. */
  met: Set<string> | undefined
  index: number
  /** True in an object where the next string is a key. */
  isKeyNext: boolean
  /** In a list or object of entries: the tokens that may follow. */
  expects: 'item or end' | 'item' | 'comma or end' | 'key or end' | 'key' | 'colon'
}

export function treeOf(paths: readonly ItemPath[]): Node {
  const create = (): Node => ({ keys: new Map(), each: undefined, eachValue: undefined, path: undefined })
  const root = create()
  for (const path of paths) {
    let node = root
    for (const step of path) {
      const known = step === '*' ? node.each : step === '{*}' ? node.eachValue : node.keys.get(step)
      const next = known ?? create()
      if (step === '*') node.each = next
      else if (step === '{*}') node.eachValue = next
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

/** Returns the frame of a container that opens, or undefined if no item path leads through it. */
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
  const isOnTheWay = node && (isList ? node.each !== undefined : node.keys.size > 0 || node.eachValue || !frame)
  if (!isOnTheWay) return undefined
  const step = frame ? `/${frame.isList ? frame.index : key}` : ''
  return {
    isList,
    entries: (isList ? node.each : node.eachValue)?.path,
    node,
    pointer: `${frame?.pointer ?? ''}${step}`,
    met: undefined,
    index: 0,
    isKeyNext: !isList,
    expects: isList ? 'item or end' : 'key or end',
  }
}
