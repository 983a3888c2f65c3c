export const uploadOrders = ['created_at', 'size', 'filename'] as const

/** Which uploads of an owner are wanted, and in which order. */
export interface UploadFilter {
  /** Part of the name, whatever its case. */
  search?: string | undefined
  /** A media type, or all of a kind: `image/*`. */
  contentType?: string | undefined
  ids?: readonly number[] | undefined
  uploadedById?: number | undefined
  createdAfter?: string | undefined
  createdBefore?: string | undefined
  orderBy: (typeof uploadOrders)[number]
  sort: 'asc' | 'desc'
  /** Those that wait for their bytes to go, instead of those that are there. */
  deleted: boolean
}
