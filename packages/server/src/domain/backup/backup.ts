import type { Sequences } from '../../db/dump.ts'

/** Description of a complete backup. It is written last, so a backup without one does not exist. */
export interface Manifest {
  /** Version of this format. */
  format: 1
  /** Name of the backup: its time in a form that sorts and that a key may contain. */
  name: string
  /** Time of the snapshot of the database. Later changes are not in the backup. */
  createdAt: string
  /** Revision of the program that wrote it. */
  revision: string
  engine: 'sqlite' | 'postgres'
  /** Migrations of the database, which give the schema of the rows. */
  migrations: readonly string[]
  tables: readonly StoredTable[]
  sequences: Sequences
  files: StoredFileList
}

/** Content as a list of chunks, with the SHA-256 of all of it. */
interface ChunkedContent {
  sha256: string
  chunks: readonly Chunk[]
}

/** Part of a table, named by the SHA-256 of its text, and stored compressed. */
export interface Chunk {
  sha256: string
  /** Size as stored. */
  bytes: number
}

export interface StoredTable extends ChunkedContent {
  name: string
  /** Names of the columns, in the order of the values of a row. */
  columns: readonly string[]
  rows: number
}

/** List of `FileEntry`, with sums. */
interface StoredFileList extends ChunkedContent {
  count: number
  bytes: number
  /** Number of files of which there was no object. */
  missing: number
}

/** File of a row: its key in the object store, and its content in the backup. */
export interface FileEntry {
  /** Kind and id of the row, such as `upload 12`. */
  row: string
  key: string
  bytes: number
  /** Name of the content in the backup; null when there was no object. */
  sha256: string | null
}

/** A backup is incomplete, damaged, or of an unknown format. */
export class BackupProblem extends Error {}
