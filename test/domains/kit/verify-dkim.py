"""Verifies the signature of an email from standard input with dkimpy, which shares no code with the product.

The only argument is the port of the name server on this machine. Prints the domain and the selector of the signature.
"""

import sys

import dkim
import dns.resolver


def lookup(name, timeout=5):
    resolver = dns.resolver.Resolver(configure=False)
    resolver.nameservers = ["127.0.0.1"]
    resolver.port = int(sys.argv[1])
    record = resolver.resolve(name.decode("ascii"), "TXT")[0]
    return b"".join(record.strings)


message = sys.stdin.buffer.read()
verifier = dkim.DKIM(message)
if not verifier.verify(dnsfunc=lookup):
    sys.exit("the signature is wrong")
fields = verifier.signature_fields
print(fields[b"d"].decode(), fields[b"s"].decode())
