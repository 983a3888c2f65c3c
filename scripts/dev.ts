import { spawn } from 'node:child_process'

// `npm run dev` runs the server from source with the data of `alcove demo` in .tmp/dev, and restarts it on every change.
const port = process.env['ALCOVE_PORT'] ?? '8080'
const token = 'dev-token-of-the-administrator'

const program = ['watch', '--clear-screen=false', 'packages/server/src/main.ts', 'demo', '.tmp/dev']
const server = spawn('npx', ['tsx', ...program], {
  stdio: 'inherit',
  env: { ALCOVE_PORT: port, ALCOVE_BOOTSTRAP_TOKEN: token, ...process.env },
})
const pages = spawn('npx', ['vite', 'build', 'packages/web', '--watch', '--logLevel', 'warn'], { stdio: 'inherit' })
server.on('exit', (code) => {
  pages.kill()
  process.exit(code ?? 0)
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => server.kill(signal))
console.log(`Development server: http://127.0.0.1:${port}\nToken of root:      ${token}\n`)
