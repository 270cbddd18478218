"""A connection that reads nothing, over a network that takes little: segments and window are so small that its peer is stuck after some
50 KB, where the loopback would take 4 MB.

Arguments: port, address to come from. Standard input: two lines of base64: what is sent once, and what is sent again and again behind it. Says
"stuck" when the peer has taken nothing for half a second, and stays connected until it is killed.
"""
import base64
import signal
import socket
import sys

port, address = int(sys.argv[1]), sys.argv[2]
once, again = (base64.b64decode(line) for line in sys.stdin)
connection = socket.socket()
connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 88)
connection.bind((address, 0))
connection.connect(("127.0.0.1", port))
connection.settimeout(0.5)
connection.sendall(once)
try:
    while True:
        connection.sendall(again)
except socket.timeout:
    print("stuck", flush=True)
signal.pause()
