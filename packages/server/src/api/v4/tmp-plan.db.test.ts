import { test } from 'vitest'
import { startServer } from '../../testing/server.ts'
test('plan', { timeout: 400_000 }, async () => {
  const server = await startServer({ settings: { logLevel: 'error' } })
  const { admin } = server
  const project = await server.project('acme/site')
  const names = (n: number, prefix = 't') => Array.from({ length: n }, (_, i) => `${prefix}${i}`)
  await admin.put(`/projects/${project.id}`, { topics: names(1000) })
  for (const n of [2, 5, 8, 10, 12, 15, 20, 30, 50, 100]) {
    const t = performance.now()
    const r = await admin.get(`/projects?topic=${names(n).join(',')}`)
    const t1 = performance.now()
    console.log(`topic ${n} ${r.status} ${Math.round(t1 - t)}`)
  }
  const words = Array.from({ length: 2000 }, (_, i) => `w${(i * 7919).toString(36)}xyz`)
  for (const n of [1, 16, 32, 64, 128, 256]) {
    const t = performance.now()
    const r = await admin.get(`/topics?search=${words.slice(0, n).join('+')}`)
    console.log('search', n, r.status, Math.round(performance.now() - t))
  }
})
