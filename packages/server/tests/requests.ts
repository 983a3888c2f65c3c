import { setTimeout } from 'node:timers/promises'
import { expect } from 'vitest'
import type { ServerProcess } from './process.ts'

/** Starts clients that create topics as fast as the server responds, and at most at this rate together. */
export function startWriters(server: ServerProcess, count: number, perSecond: number, prefix = 'topic') {
  const startedAt = performance.now()
  const acknowledged: string[] = []
  let isOver = false
  let names = 0
  const work = async () => {
    while (!isOver) {
      const name = `${prefix}-${++names}`
      const dueInMs = startedAt + (names * 1000) / perSecond - performance.now()
      if (dueInMs > 0) await setTimeout(dueInMs)
      const status = await createTopic(server, name).catch(() => undefined)
      if (status === undefined) return
      if (status === 201) acknowledged.push(name)
    }
  }
  const working = Array.from({ length: count }, work)
  return {
    acknowledged,
    async stop() {
      isOver = true
      await Promise.all(working)
    },
  }
}

/** Sends a request of the administrator. */
export async function request(server: ServerProcess, method: string, path: string, body?: FormData | URLSearchParams) {
  const reply = await fetch(`${server.url}/api/v4${path}`, {
    method,
    headers: { 'private-token': server.token },
    ...(body && { body }),
  })
  const text = await reply.text()
  return { status: reply.status, body: text ? JSON.parse(text) : undefined }
}

export async function createTopic(server: ServerProcess, name: string): Promise<number> {
  return (await request(server, 'POST', '/topics', new URLSearchParams({ name, title: name }))).status
}

export async function createProject(server: ServerProcess): Promise<number> {
  return (await request(server, 'POST', '/projects', new URLSearchParams({ name: 'site' }))).body.id
}

export async function uploadFile(server: ServerProcess, project: number, content: string): Promise<number> {
  const form = new FormData()
  form.append('file', new Blob([content]), 'file.txt')
  const { status, body } = await request(server, 'POST', `/projects/${project}/uploads`, form)
  expect(status).toBe(201)
  return body.id
}

export async function topicsOf(server: ServerProcess): Promise<Set<string>> {
  const names = new Set<string>()
  for (let page = 1; ; page++) {
    const { body: topics } = await request(server, 'GET', `/topics?per_page=100&page=${page}`)
    for (const { name } of topics) names.add(name)
    if (topics.length < 100) return names
  }
}
