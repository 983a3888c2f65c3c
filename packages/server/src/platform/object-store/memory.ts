import { Readable } from 'node:stream'
import { assertKey } from './key.ts'
import type { ObjectStore } from './objects.ts'

/** Opens a store in memory, for tests and for trying Alcove without a disk. */
export function openMemoryStore(): ObjectStore {
  const objects = new Map<string, { content: Buffer; modifiedAt: Date }>()

  return {
    async put(key, body) {
      assertKey(key)
      const chunks: Buffer[] = []
      for await (const chunk of body) chunks.push(Buffer.from(chunk))
      objects.set(key, { content: Buffer.concat(chunks), modifiedAt: new Date() })
    },

    async open(key, range) {
      assertKey(key)
      const content = objects.get(key)?.content
      return content && readInSlices(range ? content.subarray(range.start, range.end + 1) : content)
    },

    async remove(key) {
      assertKey(key)
      objects.delete(key)
    },

    async *list(prefix) {
      for (const [key, { content, modifiedAt }] of [...objects]) {
        if (key.startsWith(prefix)) yield { key, bytes: content.length, modifiedAt }
      }
    },

    async removeUnfinished() {
      return 0
    },

    async ready() {},
    async close() {},
  }
}

const sliceBytes = 64 * 1024

function readInSlices(content: Buffer): Readable {
  let position = 0
  return new Readable({
    read() {
      const slice = content.subarray(position, position + sliceBytes)
      position += slice.length
      this.push(slice.length > 0 ? slice : null)
    },
  })
}
