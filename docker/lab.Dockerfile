# The lab in a container: BlueZ with virtual controllers in a virtual machine, with dittojay and bluejay, on any host, with
# no rights. From the repository's root, after the image of docker/Dockerfile:
#
#   docker build -f docker/lab.Dockerfile -t bluejay-lab .
#   docker run --rm bluejay-lab                                   # the demo
#   docker run --rm -it bluejay-lab ./lab shell
#   docker run --rm -v "$PWD:/work" bluejay-lab ./lab run -- /work/my-test
#   docker run --rm --device /dev/kvm bluejay-lab                 # faster, where KVM works
#
# With --build-arg SETUP_OPTIONS=--uml it has user-mode Linux, which is faster, and which `lab explore` needs (built in
# some minutes). With a Swift image in place of Debian's there is a toolchain in it, for the tests (not tried yet):
#
#   docker build -f docker/lab.Dockerfile --build-arg BASE_IMAGE=swift:6.3-bookworm -t bluejay-lab-swift .
#   docker run --rm bluejay-lab-swift ./lab test

ARG PROGRAMS_IMAGE=bluejay-linux
ARG BASE_IMAGE=docker.io/library/debian:bookworm-slim

FROM ${PROGRAMS_IMAGE} AS programs

FROM ${BASE_IMAGE}
WORKDIR /bluejay-linux
# `setup` installs packages, the machine's kernel and Python environments, by the files that it needs for that.
COPY lab ./
COPY scripts scripts
COPY Fixtures/peers Fixtures/peers
COPY python python
ARG SETUP_OPTIONS=
RUN apt-get update -q \
    && apt-get install -y -q --no-install-recommends gcc \
    && ./lab setup ${SETUP_OPTIONS} \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt /var/log/apt /root/.cache/pip
COPY . .
COPY --from=programs /usr/local/bin/dittojay /usr/local/bin/bluejay /usr/local/bin/
CMD ["./lab", "run", "--", "python/bluetooth-lab/src/bluetooth_lab/demo.sh"]
