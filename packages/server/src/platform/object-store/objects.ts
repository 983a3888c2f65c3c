import type { Readable } from 'node:stream'
import type { Bytes } from './bytes.ts'

/** Where bytes live. Keys are ours, never a user's text: `a-z 0-9 - _ . /`, no `..`, at most 200 characters. */
export interface ObjectStore {
  /**
   * Stores everything the body yields under a new key. Resolves when the bytes are durable; when the body fails,
   * nothing is left and the body's error is thrown.
   */
  put(key: string, body: Bytes): Promise<void>
  /** A stream of the object, or of the inclusive byte range; `undefined` when there is no such object. */
  open(key: string, range?: ByteRange): Promise<Readable | undefined>
  /** The same without a stream, where that costs less; `openPieces` in `pieces.ts` knows. */
  openPieces?(key: string, range?: ByteRange): Promise<Pieces | undefined>
  /** Changes whenever the stored bytes are written to; `undefined` when there is no such object. Absent where unknown. */
  version?(key: string): Promise<string | undefined>
  /** Removing what is not there is no error. */
  remove(key: string): Promise<void>
  /** Every stored object whose key starts with the prefix, in no particular order. */
  list(prefix: string): AsyncIterable<ObjectInfo>
  /** Removes what puts that began before this time have left unfinished; returns how many. */
  removeUnfinished(prefix: string, before: Date): Promise<number>
  /** An address that answers a GET with the object, for a while and for whoever has it. Absent where there are none. */
  signedUrl?(key: string, answer: SignedAnswer): Promise<string>
  /** Rejects when objects cannot be stored now. */
  ready(): Promise<void>
  close(): Promise<void>
}

/** First and last byte, both included. */
export interface ByteRange {
  start: number
  end: number
}

/** What somebody who follows a signed address is answered. */
interface SignedAnswer {
  contentType: string
  disposition: string
  expiresInSeconds: number
}

export interface ObjectInfo {
  key: string
  bytes: number
  modifiedAt: Date
}

/** A file that came in with a request: already stored, not yet anybody's. */
export interface ReceivedFile {
  readonly key: string
  /** As the client sent it: untrusted, not yet sanitised. */
  readonly filename: string
  readonly bytes: number
  /** Lower-case hex. */
  readonly sha256: string
  /** The first bytes (up to 4,100), for recognising the content. */
  readonly head: Uint8Array
  /** Set by whoever committed a row that refers to the object; otherwise it is removed when the request ends. */
  kept: boolean
}

/** The bytes of an object in order. A piece is good until the next is asked for, or the reading ends. */
export interface Pieces {
  /**
   * `undefined` after the last. A file gives at most so many bytes at once. All but one of them are given only where
   * there are no more: whoever asks for one byte too many never takes a part for the whole.
   */
  next(mostBytes: number): Promise<Buffer | undefined>
  close(): void
}
