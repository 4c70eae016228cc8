// What the presets make of an export of each vendor, field by field. The files are in test/fixtures/exports: header lines as
// the vendors write them, with invented people.

/** A row that is skipped, the reason for which it is rejected, or its contact with the fields that are dropped. */
type ExpectedRow =
  | string
  | {
      readonly contact: Readonly<Record<string, unknown>>
      /** As the mail where it is not there. */
      readonly key?: string
      readonly dropped?: readonly string[]
    }

interface ExpectedExport {
  readonly preset: string
  readonly file: string
  readonly rows: readonly ExpectedRow[]
}

const day = (date: string): string => `${date}T12:00:00+00:00`

export const EXPECTED_EXPORTS: readonly ExpectedExport[] = [
  {
    preset: 'activecampaign',
    file: 'activecampaign.csv',
    rows: [
      {
        contact: {
          first_name: 'Ada',
          family_name: 'Beispiel',
          mail: 'ada@ac.example',
          phone: '+49 30 901820',
        },
      },
      { contact: { first_name: 'Ben', family_name: 'Sample', mail: 'ben@ac.example', mail_status: 2 } },
      { contact: { first_name: 'Cleo', family_name: 'Noone', mail: 'cleo@ac.example', mail_status: 1 } },
      {
        dropped: ['mail_status'],
        contact: { first_name: 'Dora', family_name: 'Muster', mail: 'dora@ac.example' },
      },
    ],
  },
  {
    preset: 'brevo',
    file: 'brevo-template.csv',
    rows: [
      {
        contact: {
          first_name: 'Dora',
          family_name: 'Muster',
          mail: 'dora@brevo.example',
          phone2: '+493091820',
        },
      },
    ],
  },
  {
    preset: 'brevo',
    file: 'brevo.csv',
    rows: [
      {
        contact: {
          first_name: 'Ada',
          family_name: 'Beispiel',
          mail: 'ada@brevo.example',
          phone_type: 'mobile',
          phone: '+4917112345678',
        },
      },
      {
        dropped: ['phone'],
        contact: { first_name: 'Ben', family_name: 'Sample', mail: 'ben@brevo.example', mail_status: 1 },
      },
      {
        contact: {
          first_name: 'Cleo',
          family_name: 'Noone',
          mail: 'cleo@brevo.example',
          phone_type: 'mobile',
          phone: '+33612345678',
        },
      },
    ],
  },
  {
    preset: 'civicrm',
    file: 'civicrm.csv',
    rows: [
      {
        contact: {
          title: 'f',
          first_name: 'Ada',
          family_name: 'Beispiel',
          company: 'Beispiel GmbH',
          job_title: 'Engineer',
          mail: 'ada@civi.example',
          phone: '0732 1',
          ba_street: 'Gasse 1',
          ba_street2: 'Hof',
          ba_city: 'Linz',
          ba_postal_code: '4020',
          ba_state: 'Oberösterreich',
          ba_country: 'AT',
          date_of_birth: day('1980-12-31'),
        },
      },
      {
        dropped: ['ba_country'],
        contact: { first_name: 'Ben', family_name: 'Sample', mail: 'ben@civi.example', mail_status: 2 },
      },
      { contact: { company: 'Sample Ltd', mail: 'office@civi.example', mail_status: 1 } },
      { contact: { first_name: 'Dora', family_name: 'Muster', mail: 'dora@civi.example', mail_status: 2 } },
      'skipped',
    ],
  },
  {
    preset: 'eventbrite',
    file: 'eventbrite.csv',
    rows: [
      {
        contact: {
          title: 'f',
          first_name: 'Ada',
          family_name: 'Beispiel',
          company: 'Beispiel GmbH',
          job_title: 'Engineer',
          mail: 'ada@eb.example',
          phone2_type: 'mobile',
          phone2: '0171 1',
          ba_street: 'Gasse 1',
          ba_city: 'Linz',
          ba_postal_code: '4020',
          ba_country: 'AT',
          date_of_birth: day('1980-12-31'),
        },
      },
      { dropped: ['date_of_birth'], contact: { mail: 'ben@eb.example' } },
      'skipped',
    ],
  },
  {
    preset: 'google',
    file: 'google.csv',
    rows: [
      {
        contact: {
          title2: 'dr',
          first_name: 'Ada',
          family_name: 'Beispiel',
          company: 'Beispiel GmbH',
          job_title: 'Engineer',
          mail: 'ada@g.example',
          phone: '+49 171 1234567',
          ba_street: 'Gasse 1',
          ba_city: 'Berlin',
          ba_postal_code: '10115',
          ba_state: 'Berlin',
          ba_country: 'DE',
          date_of_birth: day('1980-12-31'),
        },
      },
      { contact: { first_name: 'Ben', family_name: 'Sample', mail: 'ben@g.example', fax: '+49 30 1' } },
      'skipped',
    ],
  },
  {
    preset: 'hubspot',
    file: 'hubspot.csv',
    rows: [
      {
        key: '101',
        contact: {
          first_name: 'Ada',
          family_name: 'Beispiel',
          company: 'Beispiel GmbH',
          job_title: 'Engineer',
          mail: 'ada@hub.example',
          phone: '+49 30 901820',
          phone2_type: 'mobile',
          phone2: '+49 171 1234567',
          ba_city: 'Berlin',
          ba_postal_code: '10115',
          ba_state: 'Berlin',
          ba_country: 'DE',
        },
      },
      {
        key: '102',
        dropped: ['ba_state', 'ba_country'],
        contact: {
          first_name: 'Ben',
          family_name: 'Sample',
          company: 'Sample Ltd',
          mail: 'ben@hub.example',
          mail_status: 2,
          ba_city: 'Llanfair',
          ba_postal_code: 'LL61',
        },
      },
      'mail: "Email" ("not a mail") is not a valid e-mail address',
    ],
  },
  {
    preset: 'klaviyo',
    file: 'klaviyo.csv',
    rows: [
      {
        contact: {
          first_name: 'Ada',
          family_name: 'Beispiel',
          mail: 'ada@kl.example',
          ba_city: 'Berlin',
          ba_postal_code: '10115',
          ba_state: 'Berlin',
          ba_country: 'DE',
        },
      },
      {
        dropped: ['ba_country'],
        contact: { first_name: 'Ben', family_name: 'Sample', mail: 'ben@kl.example', mail_status: 2 },
      },
      'skipped',
      { contact: { first_name: 'Dora', family_name: 'Muster', mail: 'dora@kl.example', mail_status: 1 } },
    ],
  },
  {
    preset: 'linkedin',
    file: 'linkedin.csv',
    rows: [
      {
        contact: {
          first_name: 'Ada',
          family_name: 'Beispiel',
          company: 'Beispiel GmbH',
          job_title: 'Engineer, R&D',
          mail: 'ada@li.example',
        },
      },
      'skipped',
    ],
  },
  {
    preset: 'mailchimp',
    file: 'mailchimp-cleaned.csv',
    rows: [
      { contact: { first_name: 'Cleo', family_name: 'Noone', mail: 'cleo@mc.example', mail_status: 1 } },
    ],
  },
  {
    preset: 'mailchimp',
    file: 'mailchimp-unsubscribed.csv',
    rows: [{ contact: { first_name: 'Ben', family_name: 'Sample', mail: 'ben@mc.example', mail_status: 2 } }],
  },
  {
    preset: 'mailchimp',
    file: 'mailchimp.csv',
    rows: [
      {
        contact: {
          first_name: 'Ada',
          family_name: 'Beispiel',
          company: 'Beispiel GmbH',
          job_title: 'Engineer',
          mail: 'ada@mc.example',
          ba_postal_code: '01067',
        },
      },
    ],
  },
  {
    preset: 'mautic',
    file: 'mautic.csv',
    rows: [
      {
        contact: {
          title: 'f',
          first_name: 'Ada',
          family_name: 'Beispiel',
          company: 'Beispiel GmbH',
          job_title: 'Engineer',
          mail: 'ada@ma.example',
          phone: '+49 30 1',
          phone2_type: 'mobile',
          phone2: '+49 171 1',
          fax: '+49 30 2',
          skype: 'ada.sk',
          fb: 'ada.fb',
          twitter: 'ada_tw',
          ba_street: 'Gasse 1',
          ba_street2: 'Hof',
          ba_city: 'Berlin',
          ba_postal_code: '10115',
          ba_state: 'Berlin',
          ba_country: 'DE',
        },
      },
      {
        dropped: ['ba_country'],
        contact: { first_name: 'Ben', family_name: 'Sample', mail: 'ben@ma.example' },
      },
    ],
  },
  {
    preset: 'odoo',
    file: 'odoo-import.csv',
    rows: [
      {
        contact: {
          first_name: 'Clara',
          family_name: 'Schneider',
          company: 'Beispiel GmbH',
          job_title: 'Sales',
          mail: 'clara@odoo.example',
          phone: '+43 732 2',
          ba_street: 'Gasse 3',
          ba_city: 'Linz',
          ba_postal_code: '4020',
          ba_country: 'AT',
        },
      },
    ],
  },
  {
    preset: 'odoo',
    file: 'odoo.csv',
    rows: [
      {
        contact: {
          company: 'Beispiel GmbH',
          mail: 'office@odoo.example',
          phone: '+43 732 1',
          ba_street: 'Gasse 1',
          ba_street2: 'Hof',
          ba_city: 'Linz',
          ba_postal_code: '4020',
          ba_country: 'AT',
        },
      },
      {
        dropped: ['ba_country'],
        contact: {
          first_name: 'Anna',
          family_name: 'von der Heide',
          company: 'Beispiel GmbH',
          job_title: 'Engineer',
          mail: 'anna@odoo.example',
          mail_status: 1,
          phone2_type: 'mobile',
          phone2: '+43 664 1',
        },
      },
      { dropped: ['first_name', 'family_name'], contact: { mail: 'm@odoo.example' } },
      'skipped',
    ],
  },
  {
    preset: 'outlook',
    file: 'outlook-365.csv',
    rows: [
      {
        contact: {
          title: 'f',
          first_name: 'Ada',
          family_name: 'Beispiel',
          company: 'Beispiel Ltd',
          mail: 'ada@o365.example',
          ba_street: 'High Street 1',
          ba_city: 'York',
          ba_postal_code: 'YO1 7HH',
          ba_country: 'GB',
        },
      },
      {
        contact: {
          first_name: 'Ben',
          family_name: 'Sample',
          mail: 'ben@o365.example',
          ba_street: 'Lane 2',
          ba_city: 'Graz',
          ba_postal_code: '8010',
          ba_country: 'AT',
        },
      },
    ],
  },
  {
    preset: 'outlook',
    file: 'outlook-com.csv',
    rows: [
      {
        dropped: ['date_of_birth'],
        contact: {
          first_name: 'Ada',
          family_name: 'Beispiel',
          company: 'Beispiel Ltd',
          mail: 'ada@live.example',
          ba_city: 'Leeds',
          ba_country: 'GB',
        },
      },
    ],
  },
  {
    preset: 'outlook-de',
    file: 'outlook-de.csv',
    rows: [
      {
        contact: {
          title: 'f',
          first_name: 'Ada',
          family_name: 'Beispiel',
          company: 'Beispiel GmbH',
          job_title: 'Leitung',
          mail: 'ada@ode.example',
          phone: '0732 1',
          phone2_type: 'mobile',
          phone2: '0664 1',
          fax: '0732 2',
          ba_street: 'Gasse 1',
          ba_city: 'Linz',
          ba_postal_code: '04020',
          ba_country: 'AT',
          date_of_birth: day('1980-12-31'),
        },
      },
      {
        contact: {
          title: 'm',
          title2: 'dr',
          first_name: 'Benjamin',
          family_name: 'Müßig',
          mail: 'ben@ode.example',
          ba_street: 'Weg 2',
          ba_city: 'Köln',
          ba_postal_code: '50667',
          ba_country: 'DE',
        },
      },
      'skipped',
    ],
  },
  {
    preset: 'outlook',
    file: 'outlook.csv',
    rows: [
      {
        dropped: ['mail2'],
        contact: {
          title: 'f',
          first_name: 'Ada',
          family_name: 'Beispiel',
          company: 'Beispiel Ltd',
          job_title: 'Engineer',
          mail: 'ada@ol.example',
          phone: '01904 000001',
          phone2_type: 'mobile',
          phone2: '07700 900001',
          fax: '01904 000002',
          ba_street: 'High Street 1 Back door',
          ba_city: 'York',
          ba_postal_code: 'YO1 7HH',
          ba_country: 'GB',
          date_of_birth: day('1980-12-31'),
        },
      },
      {
        dropped: ['ba_state'],
        contact: {
          title2: 'dr',
          first_name: 'Ben',
          family_name: 'Sample',
          mail: 'ben@ol.example',
          phone: '(413) 555-0100',
          ba_street: 'Lane 2',
          ba_city: 'Springfield',
          ba_postal_code: '01101',
          ba_country: 'US',
        },
      },
      {
        contact: {
          first_name: 'Cleo',
          family_name: 'Noone',
          mail: 'cleo@ol.example',
          date_of_birth: day('1980-03-04'),
        },
      },
      'skipped',
    ],
  },
  {
    preset: 'pipedrive',
    file: 'pipedrive.csv',
    rows: [
      {
        contact: {
          first_name: 'Anna',
          family_name: 'von der Heide',
          company: 'Beispiel GmbH',
          mail: 'anna@pd.example',
          mail2: 'anna.home@pd.example',
          phone: '+49 30 901820',
          phone2_type: 'mobile',
          phone2: '+49 171 1234567',
        },
      },
      {
        dropped: ['first_name', 'family_name'],
        contact: { mail: 'ben@pd.example', mail_status: 2, mail2: 'b@pd.example' },
      },
      {
        dropped: ['mail_status'],
        contact: {
          first_name: 'Carla',
          family_name: 'Smith',
          company: 'Sample Ltd',
          mail: 'carla@pd.example',
        },
      },
    ],
  },
  {
    preset: 'roundcube',
    file: 'roundcube.csv',
    rows: [
      {
        contact: {
          title2: 'dr',
          first_name: 'Ada',
          family_name: 'Beispiel',
          company: 'Beispiel GmbH',
          job_title: 'Engineer',
          mail: 'ada@rc.example',
          mail2: 'a@rc.example',
          phone: '030 1',
          phone2_type: 'mobile',
          phone2: '0171 1',
          fax: '030 2',
          skype: 'ada.sk',
          ba_street: 'Gasse 1',
          ba_city: 'Linz',
          ba_postal_code: '4020',
          ba_country: 'AT',
          date_of_birth: day('1980-12-31'),
        },
      },
      {
        dropped: ['ba_country'],
        contact: {
          first_name: 'Ben',
          family_name: 'Sample',
          mail: 'ben@rc.example',
          ba_street: 'Lane 2',
          ba_city: 'Leeds',
          ba_postal_code: 'LS1',
          date_of_birth: day('1980-04-03'),
        },
      },
      'skipped',
    ],
  },
  {
    preset: 'salesforce',
    file: 'salesforce.csv',
    rows: [
      {
        contact: {
          title: 'f',
          first_name: 'Ada',
          family_name: 'Beispiel',
          company: 'Beispiel Ltd',
          job_title: 'CEO',
          mail: 'ada@sf.example',
          phone: '01904 000001',
          phone2_type: 'mobile',
          phone2: '07700 900001',
          ba_street: 'High Street 1 Back door',
          ba_city: 'York',
          ba_postal_code: 'YO1 7HH',
          ba_country: 'GB',
        },
      },
      {
        contact: {
          title2: 'prof',
          first_name: 'Ben',
          family_name: 'Sample',
          company: 'Sample Inc',
          mail: 'ben@sf.example',
          mail_status: 2,
        },
      },
    ],
  },
  {
    preset: 'shopify',
    file: 'shopify.csv',
    rows: [
      {
        key: '6405001',
        contact: {
          first_name: 'Ada',
          family_name: 'Beispiel',
          company: 'Beispiel GmbH',
          mail: 'ada@shop.example',
          phone: '+491711234567',
          ba_street: 'Gasse 1',
          ba_city: 'Dresden',
          ba_postal_code: '01067',
          ba_state: 'SN',
          ba_country: 'DE',
        },
      },
      {
        key: '6405002',
        dropped: ['ba_country'],
        contact: { first_name: 'Ben', family_name: 'Sample', mail: 'ben@shop.example' },
      },
    ],
  },
  {
    preset: 'thunderbird',
    file: 'thunderbird.csv',
    rows: [
      {
        contact: {
          first_name: 'Ada',
          family_name: 'Beispiel',
          company: 'Beispiel GmbH',
          job_title: 'Engineer',
          mail: 'ada@tb.example',
          mail2: 'a@tb.example',
          phone: '030 1',
          phone2_type: 'mobile',
          phone2: '0171 1',
          fax: '030 2',
          ba_street: 'Gasse 1',
          ba_street2: 'Hof',
          ba_city: 'Linz',
          ba_postal_code: '4020',
          ba_country: 'AT',
          date_of_birth: day('1980-12-31'),
        },
      },
      {
        dropped: ['ba_country'],
        contact: {
          first_name: 'Ben',
          family_name: 'Sample',
          mail: 'ben@tb.example',
          phone: '040 1',
          ba_street: 'Lane 2',
          ba_city: 'Leeds',
          ba_postal_code: 'LS1',
        },
      },
      'skipped',
    ],
  },
  {
    preset: 'zoho',
    file: 'zoho.csv',
    rows: [
      {
        key: 'zcrm_1001',
        contact: {
          first_name: 'Ada',
          family_name: 'Beispiel',
          company: 'Beispiel GmbH',
          job_title: 'Engineer',
          mail: 'ada@zoho.example',
          phone: '+49 30 901820',
          phone2_type: 'mobile',
          phone2: '+49 171 1234567',
          ba_street: 'Gasse 1',
          ba_city: 'Berlin',
          ba_postal_code: '10115',
          ba_state: 'Berlin',
          ba_country: 'DE',
          date_of_birth: day('1980-12-31'),
        },
      },
      {
        key: 'zcrm_1002',
        contact: {
          first_name: 'Ben',
          family_name: 'Sample',
          mail: 'ben@zoho.example',
          mail_status: 2,
          phone: '030 2',
          date_of_birth: day('1980-04-03'),
        },
      },
    ],
  },
]
