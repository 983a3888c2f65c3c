import { spawn } from 'node:child_process'
import { setTimeout } from 'node:timers/promises'

// `npm run dev` runs the server from source with sample data in .tmp/dev, and restarts it on every change.
const port = process.env['ALCOVE_PORT'] ?? '8080'
const token = 'dev-token-of-the-administrator'
const address = `http://127.0.0.1:${port}`

const server = spawn('npx', ['tsx', 'watch', '--clear-screen=false', 'packages/server/src/main.ts'], {
  stdio: 'inherit',
  env: { ALCOVE_DATA: '.tmp/dev', ALCOVE_PORT: port, ALCOVE_BOOTSTRAP_TOKEN: token, ...process.env },
})
const pages = spawn('npx', ['vite', 'build', 'packages/web', '--watch', '--logLevel', 'warn'], { stdio: 'inherit' })
server.on('exit', (code) => {
  pages.kill()
  process.exit(code ?? 0)
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => server.kill(signal))

await untilReady()
if ((await call('GET', '/groups')).length === 0) await addSampleData()
console.log(`\nDevelopment server: ${address}\nToken of root:      ${token}\n`)

async function untilReady(): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const response = await fetch(`${address}/-/ready`).catch(() => undefined)
    if (response?.ok) return
    await setTimeout(100)
  }
  console.error(`the server did not get ready on ${address}`)
  server.kill()
  process.exit(1)
}

async function addSampleData(): Promise<void> {
  const group = await call('POST', '/groups', { name: 'Acme', path: 'acme', visibility: 'public' })
  const place = { namespace_id: group.id, visibility: 'public' }
  const shop = await call('POST', '/projects', { ...place, name: 'Shop', topics: ['typescript', 'web'] })
  await call('POST', '/projects', { ...place, name: 'Charts', topics: ['data-visualisation'] })

  const screenshot = new FormData()
  screenshot.append('file', new Blob(['An attached note.\n']), 'note.txt')
  await call('POST', `/projects/${shop.id}/uploads`, screenshot)

  const report = new FormData()
  report.append('file', new Blob([JSON.stringify(sampleReport)]), 'gl-sast-report.json')
  report.append('promote', 'true')
  await call('POST', `/projects/${shop.id}/security_reports`, report)
}

// biome-ignore lint/suspicious/noExplicitAny: responses have any shape
async function call(method: string, path: string, body?: object): Promise<any> {
  const isForm = body instanceof FormData
  const response = await fetch(`${address}/api/v4${path}`, {
    method,
    headers: { 'PRIVATE-TOKEN': token, ...(body && !isForm && { 'Content-Type': 'application/json' }) },
    ...(body && { body: isForm ? body : JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
  return response.json()
}

const tool = { id: 'sample', name: 'Sample scanner', version: '1.0.0', vendor: { name: 'Acme' } }
const sampleReport = {
  version: '15.2.1',
  scan: {
    analyzer: tool,
    scanner: tool,
    type: 'sast',
    status: 'success',
    start_time: '2026-01-31T08:15:30',
    end_time: '2026-01-31T08:16:30',
  },
  vulnerabilities: [
    ['SQL built from user input', 'Critical', 'src/search.ts', 41, 'CWE-89'],
    ['Weak hash for a password', 'High', 'src/login.ts', 12, 'CWE-328'],
    ['Cookie without HttpOnly', 'Low', 'src/session.ts', 77, 'CWE-1004'],
  ].map(([name, severity, file, line, cwe]) => ({
    id: `${file}:${line}`,
    name,
    severity,
    location: { file, start_line: line, end_line: line },
    identifiers: [{ type: 'cwe', name: cwe, value: String(cwe).slice(4) }],
  })),
}
