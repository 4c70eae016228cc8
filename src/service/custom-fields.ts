// The definitions of custom fields (interface, 4.4). The service has no writes for them.
import type { CustomFieldReader } from '../core/ports.ts'
import type { ServiceSettings } from '../core/settings.ts'
import { createLookups } from './lookup.ts'
import type { Lists } from './pages.ts'
import type { Perform } from './request.ts'
import { requestUrl } from './url.ts'
import { readCustomField, readCustomFields } from './wire.ts'

const LIST = '/custom-fields'
const FIELD = { resource: 'custom-fields', read: readCustomField } as const

/** The custom field operations of the service. */
export function createCustomFieldCalls(
  settings: ServiceSettings,
  perform: Perform,
  lists: Lists,
): CustomFieldReader {
  const lookups = createLookups(settings, perform)
  return {
    customFields: (isEnough) =>
      lists.read({
        path: LIST,
        ...(isEnough === undefined ? {} : { isEnough }),
        ask: (page) =>
          perform({
            method: 'GET',
            path: LIST,
            target: 'collection',
            url: requestUrl(settings, ['custom-fields'], page),
            repeatable: true,
            read: readCustomFields,
          }),
      }),
    customFieldById: (id) => lookups.byId(id, { ...FIELD, path: '/custom-fields/<field_id>' }),
    customFieldByName: (name) => lookups.byName(name, { ...FIELD, path: '/custom-fields/<field_name>' }),
  }
}
