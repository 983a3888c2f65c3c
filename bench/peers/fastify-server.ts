import { createHash, randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Busboy } from '@fastify/busboy'
import Sqlite from 'better-sqlite3'
import { type FastifyReply, type FastifyRequest, fastify } from 'fastify'

/**
 * A peer: a server of a few lines that does durably what the compared requests need and nothing else. It looks tokens up,
 * syncs each commit and each file, and renders responses from rows. It has no permissions, validation, caches, events or
 * limits.
 */
const [folder = '', token = ''] = process.argv.slice(2)
const files = join(folder, 'files')
await mkdir(files, { recursive: true })

const db = new Sqlite(join(folder, 'peer.sqlite3'))
db.pragma('journal_mode = wal')
db.pragma('synchronous = full')
db.exec(`
  create table tokens (digest text primary key, user_id integer not null);
  create table topics (id integer primary key, name text not null unique, title text not null, description text,
    total_projects_count integer not null default 0, created_at text not null);
  create index topics_by_use on topics (total_projects_count desc, id);
  create table uploads (id integer primary key, secret text not null, filename text not null, bytes integer not null,
    sha256 text not null, created_at text not null)`)
const digest = (text: string) => createHash('sha256').update(text).digest('hex')
db.prepare('insert into tokens values (?, 1)').run(digest(token))

interface Topic {
  id: number
  name: string
  title: string
  description: string | null
  total_projects_count: number
}

const findToken = db.prepare('select user_id from tokens where digest = ?')
const findTopic = db.prepare<[string], Topic>('select * from topics where id = ?')
const listTopics = db.prepare<[number, number], Topic>(
  'select * from topics order by total_projects_count desc, id limit ? offset ?',
)
const countTopics = db.prepare('select count(*) from topics').pluck()
const insertTopic = db.prepare<[string, string, string, string], Topic>(
  'insert into topics (name, title, description, created_at) values (?, ?, ?, ?) returning *',
)
const insertUpload = db.prepare<[string, string, number, string, string], { id: number }>(
  'insert into uploads (secret, filename, bytes, sha256, created_at) values (?, ?, ?, ?, ?) returning id',
)

const topicView = ({ id, name, title, description, total_projects_count }: Topic) => ({
  ...{ id, name, title, description, total_projects_count },
  organization_id: 1,
  avatar_url: null,
})

const app = fastify()
app.addContentTypeParser('multipart/form-data', (_request, _payload, done) => done(null))
app.addHook('onRequest', async (request, reply) => {
  if (request.url === '/-/ready') return
  if (!findToken.get(digest(`${request.headers['private-token']}`)))
    return reply.code(401).send({ message: 'Unauthorized' })
})
app.get('/-/ready', () => 'ready')
app.get<{ Params: { id: string } }>('/api/v4/topics/:id', (request, reply) => {
  const topic = findTopic.get(request.params.id)
  return topic ? topicView(topic) : reply.code(404).send({ message: '404 Not found' })
})
app.get<{ Querystring: { page?: string } }>('/api/v4/topics', (request, reply) => {
  const page = Number(request.query.page ?? 1)
  reply.header('x-total', countTopics.get()).header('x-page', page)
  return listTopics.all(20, 20 * (page - 1)).map(topicView)
})
app.post<{ Body: { name: string; title: string; description: string } }>('/api/v4/topics', (request, reply) => {
  const { name, title, description } = request.body
  const topic = insertTopic.get(name, title, description, new Date().toISOString())
  return reply.code(201).send(topic && topicView(topic))
})
app.post('/api/v4/projects/:id/uploads', storeUpload)

/** Stores the file, syncs it and its folder, and then inserts and commits the row. */
async function storeUpload(request: FastifyRequest, reply: FastifyReply) {
  const secret = randomBytes(16).toString('hex')
  const { filename, bytes, sha256 } = await receive(request, join(files, secret))
  const row = insertUpload.get(secret, filename, bytes, sha256, new Date().toISOString())
  const fullPath = `/uploads/${secret}/${filename}`
  return reply.code(201).send({ id: row?.id, alt: filename, url: fullPath, markdown: `![${filename}](${fullPath})` })
}

async function receive({ headers, raw }: FastifyRequest, path: string) {
  const form = new Busboy({ headers: { ...headers, 'content-type': headers['content-type'] ?? '' } })
  const stored = new Promise<{ filename: string; bytes: number; sha256: string }>((resolve, reject) => {
    form.on('file', (_field: string, file: Readable, filename: string) => {
      store(file, path).then((written) => resolve({ filename, ...written }), reject)
    })
    form.on('error', reject)
  })
  await pipeline(raw, form)
  return stored
}

async function store(file: Readable, path: string) {
  const hash = createHash('sha256')
  let bytes = 0
  file.on('data', (chunk: Buffer) => {
    hash.update(chunk)
    bytes += chunk.length
  })
  await pipeline(file, createWriteStream(path, { flush: true }))
  const directory = await open(files)
  await directory.sync()
  await directory.close()
  return { bytes, sha256: hash.digest('hex') }
}

console.log(`The peer serves ${await app.listen({ host: '127.0.0.1', port: 0 })}`)
process.on('SIGTERM', () => process.exit(0))
