import type { ExportFormat } from '../export.ts'
import { openCsaf } from './csaf.ts'
import { openCycloneDx } from './cyclonedx.ts'
import { openOpenVex } from './openvex.ts'
import type { VexOrigin, VexWriter } from './vex-row.ts'

const writers = { openvex: openOpenVex, cyclonedx: openCycloneDx, csaf: openCsaf } as const
export type VexExportFormat = keyof typeof writers

export const isVexFormat = (format: ExportFormat): format is VexExportFormat => Object.hasOwn(writers, format)

/** Opens the document of a VEX export. */
export const openVexWriter = (format: VexExportFormat, origin: VexOrigin): VexWriter => writers[format](origin)
