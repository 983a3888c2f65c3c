import { hash } from 'node:crypto'
import type { Content } from './render.ts'

const mark = Symbol('rendered row')

/** JSON of a row or a resource. Handlers may return it instead of a `View`, which then is not serialised again. */
export interface RenderedRow<View = unknown> {
  readonly mark: typeof mark
  /** May be a slice of a buffer of 1 MiB. Copy it before caching it, or the cache keeps that buffer in memory. */
  readonly json: Buffer
  /** Hash of the JSON. */
  readonly digest: string
  /** Content of a cached resource. It also holds the compressed forms of the JSON. */
  readonly content?: Content
  /** Exists for the compiler only: the type that was rendered. */
  readonly view?: View
}

export function renderRow(json: string): RenderedRow {
  // A small buffer of `Buffer.from` would keep its whole pool in memory.
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(json))
  bytes.write(json)
  return rowOf(bytes, hash('sha1', bytes, 'hex'))
}

/** Renders a resource for a cache. Its content keeps each compressed form once a client has requested it. */
export function renderForCache<View>(json: string): RenderedRow<View> {
  const row = renderRow(json)
  return { ...row, content: { bytes: row.json, digest: row.digest } } as RenderedRow<View> // the compiler cannot infer the type from JSON
}

/** Returns a row whose JSON has been rendered and hashed. */
export const rowOf = <View = unknown>(json: Buffer, digest: string): RenderedRow<View> => ({ mark, json, digest })

/** Appends a field with rendered rows to the JSON of a resource, which must have other fields. */
export function appendRows<View>(json: string, field: string, rows: readonly RenderedRow[]): RenderedRow<View> {
  const start = Buffer.from(`${json.slice(0, -1)},${JSON.stringify(field)}:`)
  const { bytes, digest } = joinRows(rows)
  return {
    mark,
    json: Buffer.concat([start, bytes, objectEnd]),
    digest: hash('sha1', `${hash('sha1', start, 'hex')} ${digest}`, 'hex'),
  }
}

const objectEnd = Buffer.from('}')

export function isRenderedRow(value: unknown): value is RenderedRow {
  return typeof value === 'object' && value !== null && 'mark' in value && value.mark === mark
}

/** Rows with their JSON, which is joined once, for pages that are cached. */
export type JoinedRows<View> = RenderedRow<View>[] & { readonly content: Content }

/** Joins rows into one buffer. The returned rows are slices of it, so that a cached page keeps no other buffers in memory. */
export function joinForCache<View>(rows: readonly RenderedRow<View>[]): JoinedRows<View> {
  const content = joinRows(rows)
  let end = 0
  const slices = rows.map(({ json, digest }) => {
    const start = end + 1 // after the bracket or the comma
    end = start + json.length
    return rowOf<View>(content.bytes.subarray(start, end), digest)
  })
  return Object.assign(slices, { content })
}

/** Copies bytes out of a buffer that they share with others. */
export function ownBytes(bytes: Buffer): Buffer {
  if (bytes.length === bytes.buffer.byteLength) return bytes
  const own = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(own)
  return own
}

export function isJoined(rows: readonly unknown[]): rows is JoinedRows<unknown> {
  return 'content' in rows
}

const [open, comma, close] = ['[', ',', ']'].map((text) => text.charCodeAt(0)) as [number, number, number]

/** Returns a buffer of this size. */
export type Allocate = (bytes: number) => Buffer

/** Returns the JSON of a list, by default in a new buffer, and a hash that depends on its rows and their order. */
export function joinRows(rows: readonly RenderedRow[], allocate: Allocate = Buffer.allocUnsafeSlow): Content {
  const commas = Math.max(0, rows.length - 1)
  const bytes = allocate(rows.reduce((length, { json }) => length + json.length, commas + 2))
  let end = 0
  for (const { json } of rows) {
    bytes[end] = comma
    bytes.set(json, end + 1)
    end += 1 + json.length
  }
  bytes[0] = open // in place of the first comma
  bytes[bytes.length - 1] = close
  return { bytes, digest: hash('sha1', rows.map(({ digest }) => digest).join(), 'hex') }
}
