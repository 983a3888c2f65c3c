import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fastify } from 'fastify'
import { contentFrom, sendRendered } from '../packages/server/src/http/response/render.ts'

/**
 * The ceiling: the same HTTP library with constant responses. `GET /<name>` returns a recorded response of the real
 * server, `/files/<name>` streams a file of the folder, and `POST /files` writes one into it.
 */
export interface ConstantResponse {
  name: string
  headers: Record<string, string>
  body: string
}

const [file = ''] = process.argv.slice(2)
const folder = dirname(file)

const app = fastify({ requestTimeout: 0 })
app.removeAllContentTypeParsers()
app.addContentTypeParser('*', (_request, _payload, done) => done(null))
app.get('/ready', (_request, reply) => reply.send('ready'))

for (const { name, headers, body } of JSON.parse(readFileSync(file, 'utf8')) as ConstantResponse[]) {
  const constant = { status: 200, headers, content: contentFrom(body) }
  app.get(`/${name}`, (request, reply) => sendRendered(request, reply, constant))
}

app.get<{ Params: { name: string } }>('/files/:name', (request, reply) => {
  const path = join(folder, request.params.name)
  reply.header('content-length', statSync(path).size).type('application/octet-stream').send(createReadStream(path))
})

const markdown = '![file](/uploads/0123456789abcdef/file.bin)'
const stored = { status: 201, headers: {}, content: contentFrom(JSON.stringify({ id: 1, markdown })) }
app.post('/files', async (request, reply) => {
  await pipeline(request.raw, createWriteStream(join(folder, `received-${randomUUID()}`)))
  await sendRendered(request, reply, stored)
  return reply
})

console.log(`The ceiling serves ${await app.listen({ host: '127.0.0.1', port: 0 })}`)
process.on('SIGTERM', () => process.exit(0))
