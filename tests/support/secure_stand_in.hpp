// SPDX-License-Identifier: Apache-2.0
#pragma once

// An HTTPS server on the loopback interface for one test, with a self-signed certificate.

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <memory>
#include <string>
#include <thread>

#include "plumb/detail/core/version.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

/// A TLS server with its own key and a certificate for one host name. Answers one connection.
class SecureStandIn {
 public:
  using Context = boost::asio::ssl::context;

  explicit SecureStandIn(const std::string& name)
      : key_(EVP_EC_gen("P-256"), EVP_PKEY_free), certificate_(X509_new(), X509_free) {
    X509* const made = certificate_.get();
    X509_set_version(made, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(made), 1);
    X509_gmtime_adj(X509_getm_notBefore(made), -3600);
    X509_gmtime_adj(X509_getm_notAfter(made), 3600);
    X509_set_pubkey(made, key_.get());
    X509_NAME* const title = X509_get_subject_name(made);
    const auto* const text = reinterpret_cast<const unsigned char*>("plumb test");
    X509_NAME_add_entry_by_txt(title, "CN", MBSTRING_ASC, text, -1, -1, 0);
    X509_set_issuer_name(made, title);
    X509_EXTENSION* const names =
        X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, name.c_str());
    X509_add_ext(made, names, -1);
    X509_EXTENSION_free(names);
    X509_sign(made, key_.get(), EVP_sha256());
    SSL_CTX_use_certificate(context_.native_handle(), made);
    SSL_CTX_use_PrivateKey(context_.native_handle(), key_.get());
    acceptor_.listen();
    serving_ = std::thread([this] { serve(); });
  }
  ~SecureStandIn() { serving_.join(); }
  SecureStandIn(const SecureStandIn&) = delete;
  SecureStandIn& operator=(const SecureStandIn&) = delete;

  [[nodiscard]] std::string url(const std::string& host) const {
    return "https://" + host + ":" + std::to_string(acceptor_.local_endpoint().port());
  }
  /// A client context that trusts only this server's certificate.
  [[nodiscard]] std::shared_ptr<Context> trust() const {
    auto context = std::make_shared<Context>(Context::tls_client);
    context->set_verify_mode(boost::asio::ssl::verify_peer);
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context->native_handle()), certificate_.get());
    return context;
  }
  /// Writes the server's certificate in the format that SSL_CERT_FILE requires.
  void write_certificate(const std::string& file) const {
    const std::unique_ptr<BIO, decltype(&BIO_free)> out(BIO_new_file(file.c_str(), "w"), BIO_free);
    PEM_write_bio_X509(out.get(), certificate_.get());
  }
  [[nodiscard]] bool got_request() const { return got_; }

 private:
  using Tcp = boost::asio::ip::tcp;
  void serve() {
    boost::asio::ssl::stream<Tcp::socket> stream(io_, context_);
    boost::system::error_code failed;
    acceptor_.accept(stream.lowest_layer(), failed);
    stream.handshake(boost::asio::ssl::stream_base::server, failed);
    if (failed) return;
    boost::beast::flat_buffer buffer;
    boost::beast::http::request<boost::beast::http::string_body> request;
    boost::beast::http::read(stream, buffer, request, failed);
    if (failed) return;
    got_ = true;
    const std::string reply = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
    boost::asio::write(stream, boost::asio::buffer(reply), failed);
  }

  std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key_;
  std::unique_ptr<X509, decltype(&X509_free)> certificate_;
  boost::asio::io_context io_;
  Context context_{Context::tls_server};
  Tcp::acceptor acceptor_{io_, Tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0)};
  std::atomic<bool> got_{false};
  std::thread serving_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
