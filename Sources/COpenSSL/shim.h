#pragma once
#include <openssl/ssl.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ec.h>
#include <openssl/hmac.h>
#include <openssl/x509.h>
#include <openssl/rand.h>

// A macro over a function with variable arguments, which Swift cannot call.
static inline EVP_PKEY *confab_generate_p256_key(void) { return EVP_EC_gen("P-256"); }
// A macro over a function of many uses.
static inline int confab_set_groups(SSL_CTX *context, const char *names) {
  return (int)SSL_CTX_set1_groups_list(context, names);
}
// Options that are macros of macros.
static inline uint64_t confab_ssl_options(void) { return SSL_OP_NO_QUERY_MTU | SSL_OP_NO_RENEGOTIATION; }
