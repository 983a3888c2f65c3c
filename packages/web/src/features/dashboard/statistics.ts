import type { ResponseOf } from '@alcove/client'

/** Statistics of many projects. */
export type Statistics = ResponseOf<'GET /vulnerability_statistics'>
export type SecurityDashboard = ResponseOf<'GET /security_dashboard'>
