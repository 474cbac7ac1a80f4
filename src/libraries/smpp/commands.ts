/** Commands, statuses and optional parameters of SMPP 3.4 (chapter 5 of its specification). */

/** The bit set in the command id of a response. */
export const responseBit = 0x8000_0000;

export const commands = {
  bind_receiver: 0x01,
  bind_transmitter: 0x02,
  submit_sm: 0x04,
  deliver_sm: 0x05,
  unbind: 0x06,
  bind_transceiver: 0x09,
  outbind: 0x0b,
  enquire_link: 0x15,
  alert_notification: 0x102,
  generic_nack: responseBit,
} as const;

export const statuses = {
  ok: 0x00,
  invalidMessageLength: 0x01,
  invalidCommandLength: 0x02,
  invalidCommandId: 0x03,
  alreadyBound: 0x05,
  invalidDestination: 0x0b,
  bindFailed: 0x0d,
  invalidPassword: 0x0e,
  invalidSystemId: 0x0f,
  queueFull: 0x14,
  throttled: 0x58,
  temporaryError: 0x64,
  permanentError: 0x65,
  rejected: 0x66,
  deliveryFailure: 0xfe,
} as const;

export const parameters = {
  sar_msg_ref_num: 0x020c,
  sar_total_segments: 0x020e,
  sar_segment_seqnum: 0x020f,
  network_error_code: 0x0423,
  message_payload: 0x0424,
  receipted_message_id: 0x001e,
  message_state: 0x0427,
} as const;

const names = new Map<number, string>([
  [0x01, 'ESME_RINVMSGLEN'],
  [0x02, 'ESME_RINVCMDLEN'],
  [0x03, 'ESME_RINVCMDID'],
  [0x04, 'ESME_RINVBNDSTS'],
  [0x05, 'ESME_RALYBND'],
  [0x08, 'ESME_RSYSERR'],
  [0x0a, 'ESME_RINVSRCADR'],
  [0x0b, 'ESME_RINVDSTADR'],
  [0x0d, 'ESME_RBINDFAIL'],
  [0x0e, 'ESME_RINVPASWD'],
  [0x0f, 'ESME_RINVSYSID'],
  [0x14, 'ESME_RMSGQFUL'],
  [0x15, 'ESME_RINVSERTYP'],
  [0x43, 'ESME_RINVESMCLASS'],
  [0x45, 'ESME_RSUBMITFAIL'],
  [0x48, 'ESME_RINVSRCTON'],
  [0x49, 'ESME_RINVSRCNPI'],
  [0x50, 'ESME_RINVDSTTON'],
  [0x51, 'ESME_RINVDSTNPI'],
  [0x53, 'ESME_RINVSYSTYP'],
  [0x58, 'ESME_RTHROTTLED'],
  [0x64, 'ESME_RX_T_APPN'],
  [0x65, 'ESME_RX_P_APPN'],
  [0x66, 'ESME_RX_R_APPN'],
  [0xfe, 'ESME_RDELIVERYFAILURE'],
  [0xff, 'ESME_RUNKNOWNERR'],
]);

/** Returns the status for logs and people: `ESME_RTHROTTLED (0x58)`. */
export function statusName(status: number): string {
  const hex = `0x${status.toString(16).padStart(2, '0')}`;
  const name = names.get(status);
  return name ? `${name} (${hex})` : `status ${hex}`;
}
