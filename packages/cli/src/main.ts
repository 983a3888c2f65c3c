#!/usr/bin/env node
import { processIo } from './process-io.ts'
import { runCommand } from './run-command.ts'

process.exitCode = await runCommand(process.argv.slice(2), processIo())
