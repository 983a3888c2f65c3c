declare module 's3rver' {
  import type { Server } from 'node:http'
  import type { AddressInfo } from 'node:net'
  import type { Readable } from 'node:stream'

  interface Stored {
    size: number
    md5: string
  }

  /** Types for the part of the package that tests use; it has no types. */
  // biome-ignore lint/style/noDefaultExport: it is the package's
  export default class S3rver {
    constructor(options: {
      address: string
      port: number
      silent: boolean
      directory: string
      configureBuckets: { name: string }[]
    })
    readonly httpServer: Server
    readonly store: {
      getResourcePath(bucket: string, key: string | undefined, resource: string): string
      getObject(bucket: string, key: string, range?: { start?: number; end?: number | string }): Promise<unknown>
      putObject(object: { bucket: string; key: string }): Promise<Stored>
      putPart(bucket: string, uploadId: string, part: number, content: Readable): Promise<Stored>
    }
    run(): Promise<AddressInfo>
    close(): Promise<void>
  }
}
