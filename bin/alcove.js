#!/usr/bin/env node
import { existsSync, readFileSync } from 'node:fs'

// Entry point of the installed program. It loads only what the command needs: the server or the client.
const serverCommands = [
  'serve',
  'demo',
  'migrate',
  'doctor',
  'backup',
  'restore',
  'transfer',
  'admin',
  'objects',
  'audit',
  'feeds',
]
const server = new URL('../packages/server/dist/main.js', import.meta.url)
const client = new URL('../packages/cli/dist/main.js', import.meta.url)

const [command = 'help', ...rest] = process.argv.slice(2)
if (isNodeTooOld()) {
  console.error(`alcove: needs Node 20.19 or newer; this is ${process.version}.`)
  process.exitCode = 1
} else if (['help', '--help', '-h'].includes(command) && rest.length === 0) console.log(help())
else if (['--version', '-V'].includes(command)) console.log(readVersion())
else if (serverCommands.includes(command)) await load(server)
else if (existsSync(client)) await load(client)
else {
  console.error(`alcove: there is no command ${command}.\n\n${help()}`)
  process.exitCode = 2
}

/** @param {URL} program */
async function load(program) {
  if (existsSync(program)) return import(program.href)
  console.error('alcove: the program has not been built; run npm run build first.')
  process.exitCode = 1
}

function help() {
  const clientCommands = `
Use a server (after alcove login, or with ALCOVE_URL and ALCOVE_TOKEN)
  upload       import the reports of scanners, wait, and check a policy
  list, show   list vulnerabilities and findings, and print one of them
  dismiss, resolve, confirm, revert
               change the state of vulnerabilities
  export       write the vulnerabilities of a project to a file
  vex          import and export VEX documents
  import       copy data from GitLab, Alcove and other tools
  attach       upload files and print their Markdown
  topics       list and change the topics of projects
  login, logout
               store the address of a server and a token, or remove them
  completion   print the completion script of a shell
`
  return `Usage: alcove <command>

Run a server
  serve        serve the API and the web UI; the data is in the folder data, or where ALCOVE_DATA points
  demo         serve invented sample data
  migrate      bring the schema of the database up to date and stop
  doctor       report where database and stored files disagree, and repair
  backup       copy database and files to a folder or a bucket while the server runs
  restore      restore a backup
  transfer     copy all rows to a database of the other engine
  admin        print a link that signs in an administrator, or remove the second factors of a user
  objects      copy stored files between disk and bucket
  feeds        load EPSS scores, known exploited vulnerabilities and aliases from files
  audit        verify the hash chain of the audit log
${existsSync(client) ? clientCommands : ''}
alcove <command> --help prints the options of a command. alcove --version prints the version.`
}

function isNodeTooOld() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  return major < 20 || (major === 20 && minor < 19)
}

function readVersion() {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version
}
